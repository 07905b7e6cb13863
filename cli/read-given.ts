import { readFile } from 'node:fs/promises'
import { text as readText } from 'node:stream/consumers'
import { NotFoundError } from '../core/errors/errors.ts'
import { parseJson } from '../core/common/json.ts'
import { TocsinError } from '../core/plugin/index.ts'
import { printable } from './output/printable.ts'

/**
 * The content of a file named on the command line.
 *
 * @throws NotFoundError `file_not_found`
 */
export async function readGiven(file: string): Promise<Uint8Array> {
  return await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') throw missingFile(file)
    if (error.code === 'EISDIR')
      throw new NotFoundError('file_not_found', `'${printable(file)}' is a folder; expected a file`)
    throw error
  })
}

/**
 * The JSON value and text of a file named on the command line, or of standard input for `-`.
 *
 * @throws NotFoundError `file_not_found`
 * @throws TocsinError `json_invalid`, `json_too_deep`, with the name of the file
 */
export async function readGivenJson(
  file: string,
): Promise<{ readonly text: string; readonly value: unknown }> {
  const text = file === '-' ? await readText(process.stdin) : new TextDecoder().decode(await readGiven(file))
  try {
    return { text, value: parseJson(text) }
  } catch (error) {
    if (!(error instanceof TocsinError)) throw error
    const name = file === '-' ? 'standard input' : printable(file)
    throw new TocsinError(error.code, `${name}: ${error.message}`)
  }
}

export const missingFile = (path: string): NotFoundError =>
  new NotFoundError('file_not_found', `there is no file or folder '${printable(path)}'`, {
    hint: /^\s*[[{]/.test(path) ? 'pass JSON on standard input: echo … | tocsin … -' : undefined,
  })
