import { finished, type Readable } from 'node:stream'
import { TextDecoder } from 'node:util'
import { SkillError } from '../plugin/index.ts'

/** Largest body, in bytes after decompression. */
const maxBodyBytes = 10 * 1024 * 1024

const utf8 = new TextDecoder()

/**
 * Reads a body up to the cap. The stream is decompressed as it is read, so a small body that unfolds into a huge one is noticed
 * when it passes the cap and not when memory is gone.
 *
 * @throws SkillError `response_too_large`, and what the stream breaks with, such as a connection that is cut
 */
export async function readBody(stream: Readable, contentType: string | undefined): Promise<string> {
  const bytes = await readBytes(stream)
  return decoder(contentType).decode(bytes)
}

/** With listeners: the async iterator of a stream costs as much as all else that is done with a small answer. */
function readBytes(stream: Readable): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    // Stays: what breaks a stream that nobody reads any more must not reach the process.
    stream.on('error', reject)
    const stopWatching = finished(stream, { writable: false }, (error) => {
      if (error) reject(error)
      else resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
    })
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size <= maxBodyBytes) return
      // Not left to the end of the stream: some take theirs without a word when they are destroyed.
      reject(tooLarge())
      stopWatching()
      chunks.length = 0
      stream.removeAllListeners('data')
      stream.destroy()
    })
  })
}

function tooLarge(): SkillError {
  return new SkillError('response_too_large', `the answer is larger than ${maxBodyBytes / 1_048_576} MB`, {
    hint: 'ask for less: fewer fields, smaller pages',
  })
}

/** UTF-8 unless the answer names another encoding that is known. Bytes that do not fit become U+FFFD. */
function decoder(contentType = ''): TextDecoder {
  const charset = /;\s*charset="?([\w:.-]{1,40})/i.exec(contentType)?.[1]
  if (charset === undefined) return utf8
  try {
    return new TextDecoder(charset)
  } catch {
    return utf8
  }
}
