import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'

/**
 * What a sandbox can be told to do instead of answering: cut the connection (`reset`), never answer (`hang`), answer byte by byte
 * without end (`drip`), with something that is not JSON (`garbage`), with more than anybody reads (`huge`), or with little that
 * unfolds into as much (`gzip_bomb`).
 */
export type Failure = 'reset' | 'hang' | 'drip' | 'garbage' | 'huge' | 'gzip_bomb'

/** More than the 10 MB that are read of a body. */
const hugeMegabytes = 12
const dripEveryMs = 10

/** Does so until the connection is closed, by either side. */
export function fail(how: Failure, response: ServerResponse): void {
  const begin = (headers: Readonly<Record<string, string>> = {}) =>
    response.writeHead(200, { 'content-type': 'application/json', ...headers })
  switch (how) {
    case 'hang':
      return
    case 'reset':
      response.socket?.resetAndDestroy()
      return
    case 'drip':
      drip(begin())
      return
    case 'garbage':
      begin().end(Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x22, 0x3c, 0x68, 0x74, 0x6d, 0x6c, 0x3e]))
      return
    case 'huge':
      begin().end(Buffer.alloc(hugeMegabytes * 1_048_576, ' '))
      return
    case 'gzip_bomb':
      begin({ 'content-encoding': 'gzip' }).end((bomb ??= makeBomb()))
  }
}

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write(' '), dripEveryMs)
  response.on('close', () => clearInterval(timer))
}

let bomb: Buffer | undefined

/** Members of a gzip file stand one after the other: each here is 1 KB and unfolds into 1 MB. */
function makeBomb(): Buffer {
  const member = gzipSync(Buffer.alloc(1_048_576, ' '))
  return Buffer.concat(Array.from({ length: hugeMegabytes * 10 }, () => member))
}
