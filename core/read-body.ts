import type { Readable } from 'node:stream'
import { TextDecoder } from 'node:util'
import { SkillError } from './plugin/index.ts'

const utf8 = new TextDecoder()

/** Largest body, in bytes after decompression. */
const maxBodyBytes = 10 * 1024 * 1024

/**
 * Reads a body up to the cap. The stream is decompressed as it is read, so a small body that unfolds into a huge one is noticed
 * when it passes the cap and not when memory is gone.
 *
 * @throws SkillError `response_too_large`
 */
export async function readBody(stream: Readable, contentType: string | undefined): Promise<string> {
  const bytes = await readBytes(stream)
  return decoder(contentType).decode(bytes)
}

/** With listeners: an async iterator of a stream costs as much as all else that is done with a small answer. */
function readBytes(stream: Readable): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // It may have broken before anybody listened.
    if (stream.errored) return reject(stream.errored)
    if (stream.destroyed) return reject(cutOff())
    const chunks: Buffer[] = []
    let size = 0
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length
      chunks.push(chunk)
      if (size > maxBodyBytes) stream.destroy(tooLarge())
    })
    stream.once('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    stream.once('error', reject)
    stream.once('close', () => reject(cutOff()))
  })
}

const cutOff = (): Error => new Error('the answer was cut off')

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
