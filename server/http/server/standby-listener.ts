import type { IncomingMessage, ServerResponse } from 'node:http'
import { RequestError } from '../request/request-error.ts'
import { problemDocument } from '../routing/problem.ts'
import { AnswerBudget } from './answer-budget.ts'
import { createListener, defaultLimits, type Listener } from './listener.ts'

/** The ports of the server. */
interface Ports {
  readonly host: string
  readonly port: number
  readonly opsPort: number | undefined
}

/** Why a server is not ready, for whoever asks. */
export interface NotReady {
  readonly message: string
  readonly hint: string
}

export const isStandby: NotReady = {
  message: 'This server is a standby: it takes over when the active server ends.',
  hint: 'send requests to the active server, or repeat them later',
}

/**
 * Listens on the ports of the server while this process waits for its store, so that a balancer sees it and sends it nothing. Answers
 * `GET /healthz`, and everything else with 503; `/readyz` says why.
 */
export async function listenUnready(
  { host, port, opsPort }: Ports,
  why: () => NotReady,
): Promise<readonly Listener[]> {
  const ports = opsPort === undefined ? [port] : [port, opsPort]
  const listeners = ports.map((each) => ({ each, listener: createStandbyListener(why) }))
  await Promise.all(listeners.map(({ each, listener }) => listener.listen(each, host)))
  return listeners.map(({ listener }) => listener)
}

/** For everyone but probes: the reason may name a host. */
const notReady: NotReady = {
  message: 'This server is not ready yet.',
  hint: 'send requests to another server, or repeat them later; GET /readyz says why',
}

const createStandbyListener = (why: () => NotReady): Listener =>
  createListener({
    limits: defaultLimits,
    answers: new AnswerBudget(defaultLimits.maxAnswersBytes, defaultLimits.answerTimeoutMs),
    handle: async (request, response) => answer(request, response, why()),
  })

function answer(request: IncomingMessage, response: ServerResponse, why: NotReady): void {
  const path = request.url?.split('?', 1)[0]
  if (request.method === 'GET' && path === '/healthz') {
    response.writeHead(200, { 'content-type': 'application/json', connection: 'close' })
    response.end(JSON.stringify({ status: 'ok' }))
    return
  }
  const { message, hint } = path === '/readyz' || why === isStandby ? why : notReady
  const refusal = new RequestError('not_ready', message, { hint })
  response.writeHead(503, {
    'content-type': 'application/problem+json',
    'retry-after': '5',
    connection: 'close',
  })
  response.end(JSON.stringify(problemDocument(refusal, '-')))
}
