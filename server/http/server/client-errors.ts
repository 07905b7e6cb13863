import type { Duplex } from 'node:stream'
import { problemDocument } from '../routing/problem.ts'
import { RequestError } from '../request/request-error.ts'
import { requestErrors, type RequestErrorCode } from '../routing/status-table.ts'

const codes: Readonly<Record<string, RequestErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/**
 * Answers input that is not HTTP, or that arrived too slowly, with a problem document, and closes the
 * connection.
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  refuseOn(socket, codes[error.code ?? ''] ?? 'request_malformed')
}

/** Refuses CONNECT, for which Node passes only a socket. */
export function refuseConnect(_request: unknown, socket: Duplex): void {
  socket.on('error', () => socket.destroy())
  refuseOn(socket, 'method_not_allowed')
}

function refuseOn(socket: Duplex, code: RequestErrorCode): void {
  const body = JSON.stringify(problemDocument(new RequestError(code), '-'))
  const { status } = requestErrors[code]
  socket.end(
    `HTTP/1.1 ${status} ${reasons[status] ?? 'Bad Request'}\r\n` +
      `Content-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n${body}`,
  )
}

const reasons: Readonly<Record<number, string>> = {
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
}
