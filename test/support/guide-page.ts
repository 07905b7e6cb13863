import { expect } from 'chai'
import { readFileSync, writeFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Ended } from './server/hosted-commands.ts'
import { runTocsin } from './server/run-tocsin.ts'

const root = join(import.meta.dirname, '../..')

/** A fenced block of a Markdown page. */
export interface Block {
  /** The language after the opening fence: `yaml`, `sh`, `text`. */
  readonly kind: string
  /** From `# name` in the first line of a complete file. */
  readonly file: string | undefined
  /** Without that line for JSON, which has no comments. */
  readonly text: string
}

/** Commands of a page, with their documented output. */
export interface Trial {
  readonly kind: string
  readonly commands: readonly string[]
  /** Undefined if the page shows none. */
  readonly prints: Block | undefined
  /** The files shown above the commands, newest last. */
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

/** Rewrites the page with new text in some blocks. Pass earlier replacements again. */
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

/** Commands are in `sh` blocks; their output is in the block right after. */
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

/** The combined output of commands, without real durations. */
export async function runCommands(folder: string, commands: readonly string[]): Promise<string> {
  let printed = ''
  for (const command of commands) {
    const { stdout, stderr } = await runCommand(folder, command)
    expect(stderr, command).to.equal('')
    printed += stdout
  }
  return printed.replaceAll(/ after \d+ms$/gm, '')
}
