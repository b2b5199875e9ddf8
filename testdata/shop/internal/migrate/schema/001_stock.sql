CREATE TABLE IF NOT EXISTS product (sku text PRIMARY KEY, price bigint NOT NULL);
CREATE TABLE IF NOT EXISTS price_change (id bigserial PRIMARY KEY, sku text NOT NULL, price bigint NOT NULL, due_at timestamptz NOT NULL);
CREATE TABLE IF NOT EXISTS stock (sku text PRIMARY KEY, on_hand integer NOT NULL, changed_at timestamptz NOT NULL DEFAULT now());
