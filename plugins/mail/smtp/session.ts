import type { Effect } from 'tocsin/plugin'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import { credentialsOf, requireServer, type MailCredentials, type MailContext } from '../credentials.ts'
import { smtpError } from './smtp-error.ts'

/**
 * Signs in, does the work and quits.
 *
 * @param work calls `beforeChange` right before it sends a message
 * @throws ConnectionError, RetryableError or SkillError; never an error of the library
 */
export async function withSmtp<T>(
  context: MailContext,
  work: (client: SMTPConnection, beforeChange: () => void) => Promise<T>,
): Promise<T> {
  requireServer(context, 'smtp_host')
  const credentials = await credentialsOf(context)
  const socket = await context.sockets.open('smtp', 1_048_576)
  const { default: Client } = await import('nodemailer/lib/smtp-connection')
  const client = new Client({
    host: context.settings.smtp_host,
    connection: socket as SMTPConnection.Options['connection'],
    secure: true,
    secured: true,
    name: '[127.0.0.1]',
    greetingTimeout: 15_000,
    connectionTimeout: 15_000,
    socketTimeout: 60_000,
    maxResponseSize: 65_536,
    // Under its real name, the library would prefer another method that the server offers.
    customAuth: { TOKEN: signInWithToken },
  })
  let effect: Effect = 'none'
  const beforeChange = (): void => {
    context.sockets.beforeChange()
    effect = 'unknown'
  }
  const { promise: broken, reject } = Promise.withResolvers<never>()
  broken.catch(() => {})
  client.on('error', reject)
  client.once('end', () => reject(Object.assign(new Error('closed'), { code: 'ECONNECTION' })))
  try {
    await Promise.race([connect(client), broken])
    await Promise.race([login(client, context.settings.user, credentials), broken])
    const result = await Promise.race([work(client, beforeChange), broken])
    client.quit()
    return result
  } catch (error) {
    client.close()
    if (context.signal.aborted) throw context.signal.reason
    throw smtpError([error, socket.errored], effect)
  }
}

/** Signs in to SMTP and sends nothing. */
export const trySmtp = (context: MailContext): Promise<void> => withSmtp(context, async () => {})

const connect = (client: SMTPConnection): Promise<void> =>
  new Promise((resolve, reject) => client.connect((error) => (error ? reject(error) : resolve())))

function login(client: SMTPConnection, user: string, credentials: MailCredentials): Promise<void> {
  const auth =
    'pass' in credentials
      ? { user, pass: credentials.pass }
      : { method: 'TOKEN', user, pass: credentials.accessToken }
  return new Promise((resolve, reject) => client.login(auth, (error) => (error ? reject(error) : resolve())))
}

/** https://developers.google.com/workspace/gmail/imap/xoauth2-protocol */
async function signInWithToken(session: SMTPConnection.CustomAuthenticationContext): Promise<void> {
  const { user, pass } = session.auth.credentials
  const text = `user=${user}\x01auth=Bearer ${pass}\x01\x01`
  let answer = await session.sendCommand(`AUTH XOAUTH2 ${Buffer.from(text).toString('base64')}`)
  // The server sends the reason of a refusal as a challenge, which expects an empty answer.
  if (answer.status === 334) answer = await session.sendCommand('')
  if (answer.status !== 235) throw new Error('token refused')
}
