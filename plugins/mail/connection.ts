import {
  ConnectionError,
  defineConnection,
  readLinkedAnswer,
  showLinkedQuestion,
  type SocketAddress,
  type TokenRequest,
} from 'tocsin/plugin'
import { tryImap } from './imap/session.ts'
import { trySmtp } from './smtp/session.ts'

const host = {
  type: 'string',
  maxLength: 253,
  pattern: '^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$|^[0-9a-fA-F:]+$',
  patternErrorMessage: 'must be a host name or an IP address, without scheme and port',
} as const
const port = { type: 'integer', minimum: 1, maximum: 65_535 } as const
const tls = { type: 'string', enum: ['immediate', 'starttls'] } as const

const settings = {
  type: 'object',
  required: ['user', 'from_address'],
  additionalProperties: false,
  properties: {
    user: {
      type: 'string',
      title: 'User',
      description: 'Name of the account at both servers, usually the address of the mailbox.',
      minLength: 1,
      maxLength: 320,
      pattern: '^[^\\x00-\\x1f\\x7f]+$',
      patternErrorMessage: 'must contain no control characters',
    },
    password: {
      type: 'string',
      title: 'Password',
      description: 'Password of the account, or an app password. Leave empty to sign in with OAuth.',
      'x-secret': true,
      maxLength: 1_000,
    },
    from_address: {
      type: 'string',
      title: 'Sender',
      description: 'Address of the mail that is sent.',
      maxLength: 320,
      pattern: '^[^@\\s<>",;:\\\\()\\[\\]\\x00-\\x1f]{1,64}@[A-Za-z0-9.-]{1,255}$',
      patternErrorMessage: 'must be one e-mail address, without a name',
    },
    imap_host: {
      ...host,
      title: 'IMAP server',
      description:
        'For reading a mailbox, e.g. imap.gmail.com or outlook.office365.com. Empty: sending only.',
    },
    imap_port: { ...port, title: 'IMAP port', description: 'Default 993.', default: 993 },
    imap_tls: {
      ...tls,
      title: 'IMAP encryption',
      description: 'With the first byte (port 993), or after STARTTLS (port 143).',
      default: 'immediate',
    },
    smtp_host: {
      ...host,
      title: 'SMTP server',
      description: 'For sending mail, e.g. smtp.gmail.com or smtp.office365.com. Empty: reading only.',
    },
    smtp_port: { ...port, title: 'SMTP port', description: 'Default 465.', default: 465 },
    smtp_tls: {
      ...tls,
      title: 'SMTP encryption',
      description: 'With the first byte (port 465), or after STARTTLS (port 587).',
      default: 'immediate',
    },
    oauth_token_url: {
      type: 'string',
      format: 'uri',
      title: 'OAuth token address',
      description:
        'To sign in with an access token, e.g. https://login.microsoftonline.com/<tenant>/oauth2/v2.0/token.',
      maxLength: 500,
      pattern: '^https://[^/?#@\\s]+/[^?#\\s]*$',
      patternErrorMessage:
        'must begin with https:// and have a path, without credentials, query and fragment',
    },
    oauth_client_id: {
      type: 'string',
      title: 'OAuth client id',
      description: 'Application id.',
      maxLength: 200,
    },
    oauth_client_secret: {
      type: 'string',
      title: 'OAuth client secret',
      description: 'Secret of the application, not its id.',
      'x-secret': true,
      maxLength: 1_000,
    },
    oauth_scope: {
      type: 'string',
      title: 'OAuth scope',
      description: 'Microsoft 365: https://outlook.office365.com/.default, the default.',
      default: 'https://outlook.office365.com/.default',
      maxLength: 500,
    },
    link_secret: {
      type: 'string',
      title: 'Link secret',
      description:
        'Signs the links of questions (mail.ask): a random text, such as that of openssl rand -hex 32. A new one makes open links invalid.',
      'x-secret': true,
      maxLength: 500,
      pattern: '^[!-~]{32,}$',
      patternErrorMessage: 'must be at least 32 visible ASCII characters, without spaces and line breaks',
    },
    authserv_id: {
      type: 'string',
      title: 'Authentication server id',
      description:
        'First word of the header Authentication-Results that your own mail server adds, e.g. mx.google.com. Only that header is marked as trusted.',
      maxLength: 253,
    },
  },
} as const

const startOf = (tls: 'immediate' | 'starttls' | undefined, protocol: 'imap' | 'smtp') =>
  tls === 'starttls' ? (`starttls_${protocol}` as const) : 'immediate'

export const connection = defineConnection({
  title: 'Mailbox',
  description: 'One mailbox over IMAP, and mail sent from it over SMTP. Always encrypted.',
  docs: 'https://learn.microsoft.com/en-us/exchange/client-developer/legacy-protocols/how-to-authenticate-an-imap-pop-smtp-application-by-using-oauth',
  setup: [
    'Create a mailbox for Tocsin alone, such as one for reported phishing. It reads and moves what is in it.',
    'With a password: allow IMAP and SMTP for the account, and create an app password if it has two-step verification.',
    'With OAuth at Microsoft 365: register an application, grant it the application permissions IMAP.AccessAsApp and SMTP.SendAsApp of Office 365 Exchange Online, and let an administrator consent.',
    'Then, in Exchange Online PowerShell, run New-ServicePrincipal with the object id of the enterprise application, and Add-MailboxPermission -AccessRights FullAccess for the mailbox.',
    'Enter the servers. Port 993 for IMAP and 465 for SMTP are encrypted from the first byte; choose STARTTLS for 143 and 587.',
    'To ask people by mail (mail.ask), enter a random link secret, and set TOCSIN_PUBLIC_URL to the https address at which they reach this server.',
    'Authenticate: Tocsin signs in to both servers and sends nothing.',
  ],
  settings,
  // Requests go nowhere but to the token endpoint, which has an absolute address.
  baseUrl: ({ imap_host, smtp_host }) => `https://${bracketed(imap_host ?? smtp_host ?? 'mail.invalid')}`,
  otherOrigins: ({ oauth_token_url }) =>
    oauth_token_url === undefined ? [] : [new URL(oauth_token_url).origin],
  sockets: (given): Readonly<Record<string, SocketAddress>> => ({
    ...(given.imap_host && {
      imap: { host: given.imap_host, port: given.imap_port ?? 993, tls: startOf(given.imap_tls, 'imap') },
    }),
    ...(given.smtp_host && {
      smtp: { host: given.smtp_host, port: given.smtp_port ?? 465, tls: startOf(given.smtp_tls, 'smtp') },
    }),
  }),
  // Microsoft 365 accepts 30 messages a minute from a mailbox.
  rate: ({ path }) => ({
    bucket: path,
    limits: path === '/smtp' ? [{ requests: 30, perMs: 60_000 }] : [],
  }),
  token: ({ oauth_token_url, oauth_client_id, oauth_client_secret, oauth_scope }): TokenRequest => ({
    // Without these settings the password is used, and nothing asks for a token.
    path: oauth_token_url ?? '/',
    form: {
      grant_type: 'client_credentials',
      client_id: oauth_client_id ?? '',
      client_secret: oauth_client_secret?.reveal() ?? '',
      scope: oauth_scope ?? '',
    },
    explain: ({ body }) => {
      const { error } = (body ?? {}) as { readonly error?: unknown }
      if (error === 'invalid_client') return 'the client secret is wrong or expired: enter a new one'
      if (error === 'invalid_scope') return 'check oauth_scope: at Microsoft it ends with /.default'
      return error === 'unauthorized_client'
        ? 'check oauth_client_id and the tenant in oauth_token_url'
        : undefined
    },
  }),
  inbound: { answer: readLinkedAnswer },
  handshakes: { answer: showLinkedQuestion },
  async authenticate(context) {
    const { imap_host, smtp_host } = context.settings
    if (imap_host === undefined && smtp_host === undefined)
      throw new ConnectionError(
        'connection_incomplete',
        'the connection has neither an IMAP nor an SMTP server',
        {
          hint: 'enter imap_host, smtp_host or both',
        },
      )
    if (imap_host !== undefined) await tryImap(context)
    if (smtp_host !== undefined) await trySmtp(context)
    const account = `mailbox ${context.settings.user}`
    if (imap_host === undefined)
      return { account, warning: 'Sending works. Reading is unavailable: set imap_host.' }
    if (smtp_host === undefined)
      return { account, warning: 'Reading works. Sending is unavailable: set smtp_host.' }
    return { account }
  },
})

const bracketed = (name: string): string => (name.includes(':') ? `[${name}]` : name)
