import { expect } from 'chai'
import { fileURLToPath } from 'node:url'
import { parseJson } from '../../../core/common/json.ts'
import { loadSchemaFolder } from '../../../core/schema/index.ts'
import type { Reply } from './api.ts'

const schemas = loadSchemaFolder(fileURLToPath(new URL('../../../schemas', import.meta.url)))

/** Fails unless the value matches `schemas/<name>.schema.json`. */
export function expectFits(name: string, value: unknown): void {
  expect(schemas.get(name)?.problems(value), `fits ${name}`).to.deep.equal([])
}

/** Fails unless the reply is a complete problem document with this status and code. */
export function expectProblem(reply: Reply, status: number, code: string): void {
  expect([reply.status, (reply.json as { code?: string } | undefined)?.code], reply.text).to.deep.equal([
    status,
    code,
  ])
  expect(reply.headers.get('content-type')).to.equal('application/problem+json')
  const problem = parseJson(reply.text) as { status: number; type: string; request_id: string }
  expectFits('error', problem)
  expect(problem.status).to.equal(status)
  expect(problem.type).to.equal(`urn:tocsin:error:${code}`)
  expect(problem.request_id).to.equal(reply.headers.get('x-request-id'))
}
