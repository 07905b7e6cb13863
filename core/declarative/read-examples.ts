import { isObject, type JsonObject } from '../plugin/index.ts'
import { parseJson } from '../common/json.ts'
import { quote } from '../playbook/language/problem.ts'
import type { Entry } from '../playbook/yaml/document.ts'
import type { DeclaredExample, DeclaredResponse } from './language/declared-example.ts'
import type { PluginReading } from './read/reading.ts'

/** The files of a plugin's folder. */
export interface PluginFiles {
  /**
   * The text of a file.
   *
   * @param path below the folder, with `/`
   * @returns the reason if it cannot be read
   */
  read(path: string): { readonly text: string } | { readonly refused: string }
}

/** Reads the examples of a skill. A file that cannot be used is reported at its path. */
export function readExamples(
  { problems }: PluginReading,
  entry: Entry | undefined,
  paths: readonly string[],
  files: PluginFiles,
): readonly DeclaredExample[] {
  if (entry?.value.kind !== 'list') return []
  const nodes = entry.value.items
  return paths.flatMap((path, at): readonly DeclaredExample[] => {
    const say = (message: string): readonly never[] => {
      problems.add('E804', `${quote(path)} ${message}`, nodes[at] ?? entry.value)
      return []
    }
    const read = files.read(path)
    if ('refused' in read) return say(read.refused)
    const value = parsed(read.text)
    if (value instanceof Error) return say(`is not JSON: ${value.message}`)
    const wrong = problemOf(value)
    return wrong === undefined ? [exampleOf(path, value as JsonObject)] : say(wrong)
  })
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    return error
  }
}

const keys = ['title', 'source', 'synthetic', 'input', 'responses', 'output']
const responseKeys = ['status', 'headers', 'body', 'text']

/** The problem with the content of an example file. */
function problemOf(value: unknown): string | undefined {
  if (!isObject(value)) return 'must be an object'
  const unknown = Object.keys(value).find((key) => !keys.includes(key))
  if (unknown !== undefined) return `has the unknown key ${quote(unknown)}; possible: ${keys.join(', ')}`
  if (typeof value['title'] !== 'string' || value['title'].trim() === '') return 'needs a `title`'
  if (!isObject(value['input'])) return 'needs `input`, an object'
  if (!isObject(value['output']))
    return 'needs `output`, an object; `tocsin plugins check --write-outputs` adds it'
  const { source, synthetic, responses } = value
  if (source !== undefined && typeof source !== 'string') return 'needs a string as `source`'
  if (synthetic !== undefined && typeof synthetic !== 'boolean') return 'needs true or false as `synthetic`'
  if (!Array.isArray(responses) || responses.length === 0) return 'needs `responses`, a list of answers'
  return responses.map(responseProblem).find((problem) => problem !== undefined)
}

function responseProblem(response: unknown): string | undefined {
  if (!isObject(response)) return 'has a response that is not an object'
  const unknown = Object.keys(response).find((key) => !responseKeys.includes(key))
  if (unknown !== undefined) return `has the unknown key ${quote(unknown)} in a response`
  const { status = 200, headers = {}, text } = response
  if (!Number.isInteger(status) || Number(status) < 200 || Number(status) > 599)
    return 'has a response with an invalid `status`'
  if (!isObject(headers) || Object.values(headers).some((header) => typeof header !== 'string'))
    return 'has a response whose `headers` are not strings'
  return text === undefined || typeof text === 'string'
    ? undefined
    : 'has a response whose `text` is not a string'
}

function exampleOf(file: string, value: JsonObject): DeclaredExample {
  const { title, source, synthetic, input, responses, output } = value as Readonly<Record<string, never>>
  return {
    file,
    title: title as unknown as string,
    source,
    synthetic: synthetic === true,
    input: input as unknown as DeclaredExample['input'],
    responses: (responses as unknown as readonly JsonObject[]).map(responseOf),
    output: output as unknown as DeclaredExample['output'],
  }
}

function responseOf({ status = 200, headers = {}, body, text }: JsonObject): DeclaredResponse {
  const lower = Object.entries(headers as Record<string, string>).map(([name, value]) => [
    name.toLowerCase(),
    value,
  ])
  return {
    status: status as number,
    headers: Object.fromEntries(lower) as Record<string, string>,
    body,
    text: text as string | undefined,
  }
}
