import { finished, type Readable } from 'node:stream'
import { TextDecoder } from 'node:util'
import { SkillError } from '../plugin/index.ts'

/** Largest body of text, in bytes after decompression. */
const maxTextBytes = 10 * 1_048_576
/** Largest body of a request, and of an answer that is read as bytes. */
export const maxFileBytes = 32 * 1_048_576

const utf8 = new TextDecoder()

/**
 * Reads a body up to the limit. Decompression is streamed, so a small body that expands into a huge one stops
 * at the limit. Uses listeners, because the async iterator of a stream costs as much as everything else about a
 * small answer.
 *
 * @throws SkillError `response_too_large`, and the error of the stream, such as a closed connection
 */
export function readBytes(stream: Readable, maxBytes = maxTextBytes): Promise<Buffer> {
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
      if (size <= maxBytes) return
      // Does not rely on the `end` event, because some streams emit nothing when they are
      // destroyed.
      reject(responseTooLarge(maxBytes))
      stopWatching()
      chunks.length = 0
      stream.removeAllListeners('data')
      stream.destroy()
    })
  })
}

function responseTooLarge(maxBytes: number): SkillError {
  const limit = maxBytes < 1_048_576 ? `${maxBytes} bytes` : `${maxBytes / 1_048_576} MB`
  return new SkillError('response_too_large', `the answer is larger than ${limit}`, {
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
