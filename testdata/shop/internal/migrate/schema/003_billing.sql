CREATE TABLE IF NOT EXISTS invoice (id bigserial PRIMARY KEY, state text NOT NULL DEFAULT 'open', total bigint, last_token bigint);
CREATE TABLE IF NOT EXISTS invoice_line (invoice_id bigint NOT NULL, price bigint NOT NULL, quantity integer NOT NULL);
