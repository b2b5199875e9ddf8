-- KEYS[1]: the lock, ARGV[1]: who takes it, ARGV[2]: for how many milliseconds
if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return 'OK'
end
return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
