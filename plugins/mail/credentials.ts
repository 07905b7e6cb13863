import { ConnectionError, type Secret, type SocketClient } from 'tocsin/plugin'

/** The settings that sessions need. */
export interface MailSettings {
  readonly user: string
  readonly password?: Secret | undefined
  readonly from_address: string
  readonly imap_host?: string | undefined
  readonly smtp_host?: string | undefined
  readonly oauth_token_url?: string | undefined
  readonly oauth_client_id?: string | undefined
  readonly oauth_client_secret?: Secret | undefined
}

/** The part of a context that sessions need. */
export interface MailContext {
  readonly settings: MailSettings
  readonly sockets: SocketClient
  readonly signal: AbortSignal
  readonly token: () => Promise<Secret>
}

/** One of both. */
export type MailCredentials = { readonly pass: string } | { readonly accessToken: string }

/** @throws ConnectionError `connection_incomplete`, and the errors of fetching the token */
export async function credentialsOf({ settings, token }: MailContext): Promise<MailCredentials> {
  const { oauth_token_url, oauth_client_id, oauth_client_secret, password } = settings
  if (oauth_token_url === undefined && password !== undefined) return { pass: password.reveal() }
  if (oauth_token_url === undefined || oauth_client_id === undefined || oauth_client_secret === undefined)
    throw new ConnectionError('connection_incomplete', 'the connection cannot sign in', {
      hint: 'enter password, or oauth_token_url, oauth_client_id and oauth_client_secret',
      effect: 'none',
    })
  return { accessToken: (await token()).reveal() }
}

/** @throws ConnectionError `connection_incomplete` */
export function requireServer({ settings }: MailContext, name: 'imap_host' | 'smtp_host'): void {
  if (settings[name] !== undefined) return
  throw new ConnectionError('connection_incomplete', `the connection has no ${name}`, {
    hint: `enter ${name} in the connection`,
    effect: 'none',
  })
}
