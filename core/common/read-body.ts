import { finished, type Readable } from 'node:stream'
import { TextDecoder } from 'node:util'
import { SkillError } from '../plugin/index.ts'

/** Largest body, in bytes after decompression. */
const maxBodyBytes = 10 * 1024 * 1024

const utf8 = new TextDecoder()

/**
 * Reads a body up to the limit. Decompression is streamed, so a small body that expands into a huge one stops
 * at the limit.
 *
 * @throws SkillError `response_too_large`, and the error of the stream, such as a closed connection
 */
export async function readBody(stream: Readable, contentType: string | undefined): Promise<string> {
  const bytes = await readBytes(stream)
  return decodeText(bytes, contentType)
}

/**
 * The bytes of a body up to the limit; see {@link readBody}. Uses listeners, because the async iterator of a stream costs
 * as much as everything else about a small answer.
 */
export function readBytes(stream: Readable): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    // Stays attached, so that a later error of an abandoned stream does not crash the process.
    stream.on('error', reject)
    const stopWatching = finished(stream, { writable: false }, (error) => {
      if (error) reject(error)
      else resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
    })
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size <= maxBodyBytes) return
      // Not left to the `end` event: some streams emit nothing when they are destroyed.
      reject(responseTooLarge())
      stopWatching()
      chunks.length = 0
      stream.removeAllListeners('data')
      stream.destroy()
    })
  })
}

function responseTooLarge(): SkillError {
  return new SkillError('response_too_large', `the answer is larger than ${maxBodyBytes / 1_048_576} MB`, {
    hint: 'ask for less: fewer fields, smaller pages',
  })
}

/** UTF-8 unless the content type names another known encoding. Invalid bytes become U+FFFD. */
export function decodeText(bytes: Buffer, contentType: string | undefined): string {
  return decoder(contentType).decode(bytes)
}

function decoder(contentType = ''): TextDecoder {
  const charset = /;\s*charset="?([\w:.-]{1,40})/i.exec(contentType)?.[1]
  if (charset === undefined) return utf8
  try {
    return new TextDecoder(charset)
  } catch {
    return utf8
  }
}
