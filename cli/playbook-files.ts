import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { buffer as readAll } from 'node:stream/consumers'
import { NotFoundError } from '../core/errors/errors.ts'
import { findPlaybookFiles } from '../core/playbook/read/find-files.ts'
import { readConfig } from '../server/config/config.ts'
import { processEnvironment } from '../server/config/environment.ts'
import { printable } from './output/printable.ts'
import { missingFile, readGiven } from './read-given.ts'
import { shortestPath } from './shortest-path.ts'

/** What problems call the playbook that `-` stands for. */
export const standardInput = '<stdin>'

/** A playbook as it was read; `-` is standard input, and called `<stdin>`. */
export interface PlaybookSource {
  readonly file: string
  readonly source: Uint8Array
}

/**
 * The playbooks at these paths: files as they are, folders with everything in them, the playbooks folder without any.
 *
 * @throws NotFoundError `file_not_found`, `no_playbooks`
 */
export async function readPlaybooks(given: readonly string[]): Promise<readonly PlaybookSource[]> {
  const paths = given.length > 0 ? given : [shortestPath(readConfig(processEnvironment()).playbooksDir)]
  return Promise.all((await playbookFiles(paths)).map(readPlaybook))
}

/** @throws NotFoundError `file_not_found` */
export async function readPlaybook(file: string): Promise<PlaybookSource> {
  if (file === '-') return { file: standardInput, source: await readAll(process.stdin) }
  return { file, source: await readGiven(file) }
}

async function playbookFiles(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map(filesAt))
  // By what they lead to: a playbook must not be taken for another one of the same name.
  const files = [...new Map(found.flat().map((file) => [file === '-' ? file : resolve(file), file])).values()]
  if (files.length > 0) return files
  const where = paths.map((path) => printable(path)).join(', ')
  throw new NotFoundError('no_playbooks', `no playbooks in ${where}`, {
    hint: 'playbooks are files named <name>.yaml; `tocsin validate --help` has examples',
  })
}

async function filesAt(path: string): Promise<readonly string[]> {
  if (path === '-') return ['-']
  const info = await stat(path).catch(() => undefined)
  if (info === undefined) throw missingFile(path)
  if (!info.isDirectory()) return [path]
  return findPlaybookFiles(path)
}
