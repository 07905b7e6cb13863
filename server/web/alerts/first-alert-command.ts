interface FirstAlert {
  /** Where alerts are posted. */
  readonly address: string
  /** Undefined: the variable of the terminal. */
  readonly key: string | undefined
  readonly organization: string
}

/** A command for a terminal (POSIX shells) that posts an alert and waits for its investigation. */
export function firstAlertCommand({ address, key, organization }: FirstAlert): string {
  const body = {
    // There is on every server.
    alert_provider: 'custom',
    organization_code: organization,
    alert_type: 'first_alert',
    alert_content: '{"source_ip":"198.51.100.23","user":"kim@example.com"}',
  }
  return [
    `curl -sS ${inQuotes(address)} \\`,
    `  -H "Authorization: Bearer ${key ?? '$TOCSIN_KEY'}" \\`,
    `  -H 'Content-Type: application/json' -H 'Prefer: wait=30' \\`,
    `  -d ${inQuotes(JSON.stringify(body))}`,
  ].join('\n')
}

const inQuotes = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
