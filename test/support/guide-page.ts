import { expect } from 'chai'
import { readFileSync, writeFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Ended } from './server/hosted-commands.ts'
import { runTocsin } from './server/run-tocsin.ts'

const root = join(import.meta.dirname, '../..')

/** A block of a page in Markdown, between its fences. */
export interface Block {
  /** What stands behind the opening fence: `yaml`, `sh`, `text`. */
  readonly kind: string
  /** From `# name` in its first line, where it is a whole file. */
  readonly file: string | undefined
  /** Of a file in JSON, which has no comments, without that line. */
  readonly text: string
}

/** Commands of a page, with what it says that they print. */
export interface Trial {
  readonly kind: string
  readonly commands: readonly string[]
  /** Undefined where the page says nothing. */
  readonly prints: Block | undefined
  /** The files that stand above the commands, the newest last. */
  readonly files: readonly Block[]
}

const fences = /^```(.*)\n([^]*?)^```$/gm

/** @param path from the root of the repository */
export function readBlocks(path: string): readonly Block[] {
  const page = readFileSync(join(root, path), 'utf8')
  return [...page.matchAll(fences)].map(([, kind = '', text = '']) => {
    const file = /^# (\S+\.(?:yaml|json))$/m.exec(text.split('\n')[0]!)?.[1]
    return { kind, file, text: file?.endsWith('.json') ? text.slice(text.indexOf('\n') + 1) : text }
  })
}

/** Writes the page anew, with other texts in some of its blocks. Blocks that were replaced before must be given again. */
export function replaceBlocks(
  path: string,
  texts: ReadonlyMap<Block, string>,
  blocks: readonly Block[],
): void {
  const page = readFileSync(join(root, path), 'utf8')
  let at = 0
  const written = page.replaceAll(fences, (whole, kind: string) => {
    const text = texts.get(blocks[at++]!)
    return text === undefined ? whole : `\`\`\`${kind}\n${text}\`\`\``
  })
  writeFileSync(join(root, path), written)
}

const outputs = ['text', 'mermaid']

/** Commands are in blocks of the kind `sh`; what they print is in a block right behind. */
export function trialsOf(blocks: readonly Block[]): readonly Trial[] {
  return blocks.flatMap(({ kind, text }, index) => {
    if (kind.split(' ')[0] !== 'sh') return []
    const next = blocks[index + 1]
    const prints = next !== undefined && outputs.includes(next.kind) ? next : undefined
    const files = blocks.slice(0, index).filter(({ file }) => file !== undefined)
    return [{ kind, commands: text.trim().split('\n'), prints, files }]
  })
}

export async function writeFiles(folder: string, files: readonly Block[]): Promise<void> {
  for (const { file, text } of files) {
    await mkdir(dirname(join(folder, file!)), { recursive: true })
    await writeFile(join(folder, file!), text)
  }
}

/** Runs a line such as `tocsin … > file  # remark` in the folder. */
export async function runCommand(folder: string, command: string): Promise<Ended> {
  const [, args = '', target] = /^(?:npx )?tocsin (.*?)(?: > (\S+))?(?: +# .*)?$/.exec(command)!
  const ended = await runTocsin(args.split(' '), { cwd: folder, env: { TOCSIN_PLAYBOOKS_DIR: '.' } })
  if (target === undefined) return ended
  await writeFile(join(folder, target), ended.stdout)
  return { ...ended, stdout: '' }
}

/** What commands print, together, without how long it took in real time. */
export async function runCommands(folder: string, commands: readonly string[]): Promise<string> {
  let printed = ''
  for (const command of commands) {
    const { stdout, stderr } = await runCommand(folder, command)
    expect(stderr, command).to.equal('')
    printed += stdout
  }
  return printed.replaceAll(/ after \d+ms$/gm, '')
}
