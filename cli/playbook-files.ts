import { stat } from 'node:fs/promises'
import { resolve, relative } from 'node:path'
import { buffer as readAll } from 'node:stream/consumers'
import { NotFoundError } from '../core/errors/errors.ts'
import { findPlaybookFiles } from '../core/playbook/read/find-files.ts'
import { readConfig } from '../server/config/config.ts'
import { processEnvironment } from '../server/config/environment.ts'
import { printable } from './output/printable.ts'
import { missingFile, readGiven } from './read-given.ts'

/** The name of `-` in problems. */
export const standardInput = '<stdin>'

/** A loaded playbook; `-` is standard input, named `<stdin>`. */
export interface PlaybookSource {
  readonly file: string
  readonly source: Uint8Array
}

/**
 * Reads the playbooks at these paths: files, all playbooks in folders, or by default the playbooks folder.
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
  // By resolved path, so that no playbook is read twice.
  const files = [...new Map(found.flat().map((file) => [file === '-' ? file : resolve(file), file])).values()]
  if (files.length > 0) return files
  const where = paths.map((path) => printable(path)).join(', ')
  throw new NotFoundError('no_playbooks', `no playbooks in ${where}`, {
    hint: 'name playbook files <name>.yaml; `tocsin validate --help` has examples',
  })
}

async function filesAt(path: string): Promise<readonly string[]> {
  if (path === '-') return ['-']
  const info = await stat(path).catch(() => undefined)
  if (info === undefined) throw missingFile(path)
  if (!info.isDirectory()) return [path]
  return findPlaybookFiles(path)
}

/** As a person would type it. */
export function shortestPath(path: string): string {
  const fromHere = relative('.', path)
  return fromHere === '' ? '.' : fromHere.startsWith('..') ? path : fromHere
}
