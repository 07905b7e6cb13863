import { tokenSource, type TokenCall } from '../http/fetch-token.ts'
import type { Redactor } from '../redaction/redactor.ts'
import type { SendInTurnOptions } from '../http/send-in-turn.ts'

/** The token of a connection for one call, which redacts it. */
export interface Bearer {
  get(): Promise<string>
  replace(refused: string): Promise<string | undefined>
  forget(): void
}

export interface BearerOptions extends SendInTurnOptions {
  readonly redactor: Redactor
  readonly signal: AbortSignal
}

export function createBearer(call: TokenCall, options: BearerOptions): Bearer {
  const { redactor, signal } = options
  const { tokens } = options.traffic
  const source = tokenSource(call, { ...options, onCredential: (text) => redactor.add(text) })
  return {
    async get() {
      const token = await tokens.get(source, signal)
      redactor.add(token)
      return token
    },
    async replace(refused) {
      const other = await tokens.replace(source, refused, signal)
      if (other !== undefined) redactor.add(other)
      return other
    },
    forget: () => tokens.forget(source.key),
  }
}
