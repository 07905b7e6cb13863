import type { ConnectionDefinition } from '../../plugin/index.ts'
import { checkConnection } from '../../plugin/testing/index.ts'
import type { Template } from '../../playbook/language/playbook.ts'
import type { DeclaredConnection, DeclaredCheck } from '../language/declared.ts'
import type { MadeUpSettings } from './made-up-settings.ts'
import { credentialParameters, moments, toReply, type RecordedExchange } from './record-examples.ts'
import { requestShape } from './request-shape.ts'

/**
 * The check of the connection, with an answer that it accepts.
 *
 * @throws Error if it accepts none
 */
export async function recordCheck(
  connection: ConnectionDefinition,
  { check, auth }: DeclaredConnection,
  settings: MadeUpSettings,
): Promise<RecordedExchange> {
  const response = { status: 200, headers: {}, body: bodyForCheck(check), text: undefined }
  const asked = async (now: number) => {
    const options = { settings, replies: [toReply(response)], now, token: 'sandbox-token' }
    return (await checkConnection(connection, options)).requests[0]!
  }
  const [first, second] = [await asked(moments[0]), await asked(moments[1])]
  const request = requestShape(first, second, credentialParameters(auth))
  return { request, url: first.url, response, isVerification: false }
}

/** A body with every field that the check of a connection reads. */
function bodyForCheck({ account, warning }: DeclaredCheck): unknown {
  const body: Record<string, unknown> = {}
  for (const path of [account, warning].flatMap((template) => (template ? pathsIn(template) : [])))
    fill(body, path)
  return body
}

function pathsIn(template: Template): readonly (readonly string[])[] {
  const programs =
    template.kind === 'expression'
      ? [template.program]
      : template.kind === 'text'
        ? template.parts.filter((part) => typeof part !== 'string')
        : []
  return programs.flatMap(({ references }) =>
    references.flatMap(({ root, path: [part, ...inner] }) =>
      root === 'response' && part === 'body' && inner.length > 0 ? [inner] : [],
    ),
  )
}

function fill(holder: Record<string, unknown>, [name = '', ...rest]: readonly string[]): void {
  if (rest.length === 0) {
    holder[name] ??= 'sandbox'
    return
  }
  const inner = holder[name]
  const next = typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : {}
  holder[name] = next
  fill(next, rest)
}
