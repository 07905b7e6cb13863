import { TextDecoder } from 'node:util'
import { SkillError } from './plugin/index.ts'

/** Largest body, in bytes after decompression. */
const maxBodyBytes = 10 * 1024 * 1024

/**
 * Reads a body up to the cap. The stream is decompressed as it is read, so a small body that unfolds into a huge one is noticed
 * when it passes the cap and not when memory is gone.
 *
 * @throws SkillError `response_too_large`
 */
export async function readBody(
  stream: AsyncIterable<Buffer>,
  contentType: string | undefined,
): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.length
    if (size > maxBodyBytes) {
      throw new SkillError('response_too_large', `the answer is larger than ${maxBodyBytes / 1_048_576} MB`, {
        hint: 'ask for less: fewer fields, smaller pages',
      })
    }
    chunks.push(chunk)
  }
  return decoder(contentType).decode(Buffer.concat(chunks))
}

/** UTF-8 unless the answer names another encoding that is known. Bytes that do not fit become U+FFFD. */
function decoder(contentType = ''): TextDecoder {
  const charset = /;\s*charset="?([\w:.-]{1,40})/i.exec(contentType)?.[1]
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}
