import { existsSync, readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { exampleProblems, loadPlugin } from '../../core/declarative/index.ts'
import { isObject } from '../../core/plugin/index.ts'

/** Writes the outputs that the skills of a `plugin.yaml` give into its examples. */
export async function writeOutputs(path: string): Promise<void> {
  const folder = dirname(path)
  for (const file of exampleFiles(folder))
    await write(file, (example) => ({ ...example, output: example['output'] ?? {} }))
  // Not thorough: outputs of earlier versions do not fit the schemas.
  const { declared } = loadPlugin({ path, isThorough: false })
  if (declared === undefined) return
  for (const { file, output } of await exampleProblems(declared)) {
    if (output !== undefined) await write(join(folder, file), (example) => ({ ...example, output }))
  }
}

function exampleFiles(folder: string): readonly string[] {
  const examples = join(folder, 'examples')
  if (!existsSync(examples)) return []
  return readdirSync(examples).flatMap((name) => (name.endsWith('.json') ? [join(examples, name)] : []))
}

type Example = Readonly<Record<string, unknown>>

/** Changes a file, if it is a JSON object. */
async function write(file: string, change: (example: Example) => Example): Promise<void> {
  const text = await readFile(file, 'utf8')
  const example = parsed(text)
  if (example === undefined) return
  const changed = change(example)
  if (JSON.stringify(changed) !== JSON.stringify(example))
    await writeFile(file, `${JSON.stringify(changed, null, 2)}\n`)
}

function parsed(text: string): Example | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
