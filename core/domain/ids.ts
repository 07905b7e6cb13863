/** Code of an organization or provider: letters, digits and `_`, so that `<org>-<provider>-<n>` can be read back. Compared ignoring case. */
export const codePattern = '^[A-Za-z0-9_]{1,32}$'

/** `<org code>-<provider>-<sequence>`, as spelt when the alert was created; shown upper-case in views. */
export function composeAlertId(organizationCode: string, provider: string, sequence: number): string {
  return `${organizationCode}-${provider}-${sequence}`
}

/** `<org code>-<number>`. */
export function composeCaseId(organizationCode: string, number: number): string {
  return `${organizationCode}-${number}`
}
