/** Indexes for statements that compare codes and names of roles ignoring the case of ASCII letters, without a collation of the database. */
export const lowerCaseCodes = `
CREATE UNIQUE INDEX organizations_by_code ON organizations (lower(code));
CREATE UNIQUE INDEX providers_by_code ON providers (lower(code));
CREATE UNIQUE INDEX custom_roles_by_name ON custom_roles (lower(name));
`
