UPDATE berth
   SET ship = $1, epoch = $2
 WHERE id = $3
   AND epoch < $2;
