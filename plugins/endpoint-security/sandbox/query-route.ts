import { objectsAt, textAt, type JsonObject } from 'tocsin/plugin'
import type { SandboxReply } from 'tocsin/plugin/testing'
import { failure } from './answer.ts'
import { fixture } from './fixture.ts'

const literals = /"(?:[^"\\\r\n]|\\.)*"|'(?:[^'\\\r\n]|\\.)*'/g

/** POST `/api/advancedqueries/run`: knows one table and one result, whatever is asked of them, and obeys `take`. */
export function runQuery(body: unknown): SandboxReply {
  const query = textAt(body, 'Query')
  if (query === null) return { status: 400, json: fixture('error-400-invalid-request-body') }
  const code = query.replace(literals, 'x')
  if (/["']/.test(code)) return failure(400, 'BadRequest', 'Syntax error: a string literal is not terminated')
  const [, table] = /^(?:let\s+\w+\s*=[^;]*;\s*)*(\w+)/.exec(code) ?? []
  if (table !== 'DeviceProcessEvents') {
    return failure(
      400,
      'BadRequest',
      `'take' operator: Failed to resolve table or column expression named '${table}'`,
    )
  }
  const answer = fixture('advanced-query-result') as JsonObject
  const [, most] = /\|\s*(?:take|limit)\s+(\d+)/.exec(code) ?? []
  return { json: { ...answer, Results: objectsAt(answer, 'Results').slice(0, Number(most ?? Infinity)) } }
}
