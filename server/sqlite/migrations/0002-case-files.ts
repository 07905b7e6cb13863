/**
 * Files of cases. A content is stored in encrypted pieces, written one by one: it counts while it is `arriving`, can be
 * read when it is `stored`, and is cleared away when it is `deleting`.
 */
export const caseFiles = `
CREATE TABLE file_contents (
  id INTEGER PRIMARY KEY,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  uuid TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  size INTEGER NOT NULL,
  content_key TEXT NOT NULL,
  state TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX file_contents_by_hash ON file_contents (organization_id, sha256) WHERE state = 'stored';
CREATE INDEX file_contents_by_size ON file_contents (organization_id, size) WHERE state <> 'deleting';
CREATE INDEX file_contents_unstored ON file_contents (state) WHERE state <> 'stored';

CREATE TABLE file_pieces (
  id INTEGER PRIMARY KEY,
  content_id INTEGER NOT NULL REFERENCES file_contents (id),
  place INTEGER NOT NULL,
  bytes BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX file_pieces_of_content ON file_pieces (content_id, place);

CREATE TABLE case_files (
  id INTEGER PRIMARY KEY,
  case_id INTEGER NOT NULL REFERENCES cases (id),
  sha256 TEXT NOT NULL,
  size INTEGER NOT NULL,
  name TEXT NOT NULL,
  content_type TEXT NOT NULL,
  content_id INTEGER REFERENCES file_contents (id),
  at INTEGER NOT NULL,
  author_kind TEXT NOT NULL,
  author_id TEXT NOT NULL,
  author TEXT NOT NULL,
  deleted_at INTEGER,
  UNIQUE (case_id, sha256)
) STRICT;
CREATE INDEX case_files_of_content ON case_files (content_id) WHERE content_id IS NOT NULL;
`
