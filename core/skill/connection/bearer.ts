import type { SignInTokens } from '../../ports/connection-store.ts'
import { tokenSource, type TokenCall } from '../http/fetch-token.ts'
import type { Redactor } from '../redaction/redactor.ts'
import type { SendInTurnOptions } from '../http/send-in-turn.ts'
import { untilAborted } from '../http/until-aborted.ts'

/** The token of a connection for one call, which redacts it. */
export interface Bearer {
  get(): Promise<string>
  replace(refused: string): Promise<string | undefined>
  /** Makes the next `get` fetch a token, so that newly granted permissions are in it. Not for those of a sign-in. */
  forget(): void
}

export interface BearerOptions extends SendInTurnOptions {
  readonly redactor: Redactor
  readonly signal: AbortSignal
}

/** Undefined if the connection has no token. */
export function createBearer(
  call: TokenCall | undefined,
  signedIn: SignInTokens | undefined,
  options: BearerOptions,
): Bearer | undefined {
  const { redactor, signal } = options
  const redacted = (token: string): string => {
    redactor.add(token)
    return token
  }
  if (signedIn !== undefined) {
    return {
      get: async () => redacted(await untilAborted(signedIn.get(), signal)),
      async replace(refused) {
        const other = await untilAborted(signedIn.replace(refused), signal)
        return other && redacted(other)
      },
      forget() {},
    }
  }
  if (call === undefined) return undefined
  const { tokens } = options.traffic
  const source = tokenSource(call, { ...options, onCredential: (text) => redactor.add(text) })
  return {
    get: async () => redacted(await tokens.get(source, signal)),
    async replace(refused) {
      const other = await tokens.replace(source, refused, signal)
      return other && redacted(other)
    },
    forget: () => tokens.forget(source.key),
  }
}
