import type { ConnectionDefinition } from '../../plugin/index.ts'
import { checkConnection, type SentRequest } from '../../plugin/testing/index.ts'
import type { Template } from '../../playbook/language/playbook.ts'
import type { DeclaredConnection, DeclaredCheck } from '../language/declared.ts'
import type { DeclaredResponse } from '../language/declared-example.ts'
import type { MadeUpSettings } from './made-up-settings.ts'
import {
  credentialParameters,
  moments,
  toReply,
  type RecordedExample,
  type RecordedExchange,
} from './record-examples.ts'
import { hasShape, requestShape } from './request-shape.ts'

/**
 * The check of the connection, with the answer that an example of a skill has for its request, or a made-up one.
 *
 * @throws Error if the check does not accept the answer
 */
export async function recordCheck(
  connection: ConnectionDefinition,
  { check, auth, hosts }: DeclaredConnection,
  settings: MadeUpSettings,
  examples: readonly RecordedExample[],
): Promise<RecordedExchange> {
  const credentials = credentialParameters({ auth, hosts })
  const recorded = examples
    .flatMap(({ exchanges }) => exchanges)
    .filter(({ response }) => response.status < 300)
  const xml = madeUpFields(check, 'xml')
  const text = Object.keys(xml).length === 0 ? undefined : xmlText(xml)
  const body = text === undefined ? madeUpFields(check, 'body') : undefined
  let response: DeclaredResponse = { status: 200, headers: {}, body, text }
  const replies = (request: SentRequest) => {
    response = recorded.find((each) => hasShape(request, each.request, credentials))?.response ?? response
    return toReply(response)
  }
  const asked = async (now: number) => {
    const options = { settings, replies, now, token: 'sandbox-token' }
    return (await checkConnection(connection, options)).requests[0]!
  }
  try {
    const [first, second] = [await asked(moments[0]), await asked(moments[1])]
    const request = requestShape(first, second, credentials)
    return { request, url: first.url, response, isVerification: false }
  } catch (error) {
    throw new Error(
      `the sandbox has no answer for the check of the connection: with ${JSON.stringify(response.body)}, ${(error as Error).message} (add an example to a skill that sends the same request)`,
      { cause: error },
    )
  }
}

/** Every field of this part of the answer that the check of a connection reads. */
function madeUpFields({ account, warning }: DeclaredCheck, part: 'body' | 'xml'): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  for (const path of [account, warning].flatMap((template) => (template ? pathsIn(template, part) : [])))
    fill(fields, path)
  return fields
}

const xmlText = (fields: object): string =>
  Object.entries(fields)
    .map(
      ([name, value]) => `<${name}>${typeof value === 'object' ? xmlText(value as object) : value}</${name}>`,
    )
    .join('')

function pathsIn(template: Template, wanted: 'body' | 'xml'): readonly (readonly string[])[] {
  const programs =
    template.kind === 'expression'
      ? [template.program]
      : template.kind === 'text'
        ? template.parts.filter((part) => typeof part !== 'string')
        : []
  return programs.flatMap(({ references }) =>
    references.flatMap(({ root, path: [part, ...inner] }) =>
      root === 'response' && part === wanted && inner.length > 0 ? [inner] : [],
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
