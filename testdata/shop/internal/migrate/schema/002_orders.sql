CREATE TABLE IF NOT EXISTS cart (id bigserial PRIMARY KEY, customer text NOT NULL, expires_at timestamptz NOT NULL);
CREATE TABLE IF NOT EXISTS orders (id bigserial PRIMARY KEY, customer text NOT NULL, total bigint NOT NULL, placed_at timestamptz NOT NULL DEFAULT now());
