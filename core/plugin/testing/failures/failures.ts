import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'

/**
 * Failures of a sandbox: close the connection (`reset`), never respond (`hang`), respond byte by byte without
 * end (`drip`), with invalid JSON (`garbage`), with a body over the limit (`huge`), or with a small body that
 * decompresses to one (`gzip_bomb`).
 */
export type Failure = 'reset' | 'hang' | 'drip' | 'garbage' | 'huge' | 'gzip_bomb'

/** More than the limit of 10 MB for a body. */
const hugeMegabytes = 12
const dripEveryMs = 10

/** Repeats until either side closes the connection. */
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
      begin().end((huge ??= Buffer.alloc(hugeMegabytes * 1_048_576, ' ')))
      return
    case 'gzip_bomb':
      begin({ 'content-encoding': 'gzip' }).end((bomb ??= makeBomb()))
  }
}

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write(' '), dripEveryMs)
  response.on('close', () => clearInterval(timer))
}

let huge: Buffer | undefined
let bomb: Buffer | undefined

/** A gzip file may have several members: each here is 1 KB and decompresses to 1 MB. */
function makeBomb(): Buffer {
  const member = gzipSync(Buffer.alloc(1_048_576, ' '))
  return Buffer.concat(Array.from({ length: hugeMegabytes * 10 }, () => member))
}
