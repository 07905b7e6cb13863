import type { Catalogue } from '../registry/catalogue.ts'
import { contentHash } from './content-hash.ts'
import type { Context, KnownConnection } from './context.ts'
import type { Node } from './document.ts'
import { compileValue } from './expressions.ts'
import { describe, readDuration, readFields, readText, readWord, type Fields } from './fields.ts'
import { apiVersion, defaultTimeoutMs, grammar, namePattern } from './grammar.ts'
import type { ReadObserver } from './observer.ts'
import { openSource } from './open-source.ts'
import type { Playbook, Template } from './playbook.ts'
import { quote, type Problem, type Problems } from './problem.ts'
import { readRetry } from './read-retry.ts'
import { readBranches, readSequence } from './read-steps.ts'
import { readTriggers } from './read-triggers.ts'
import { runNames, Scope } from './scope.ts'
import type { SourceText } from './source-text.ts'
import { reportUnusedOutputs } from './step-advice.ts'
import { collectStepIds } from './step-ids.ts'

export interface ParseOptions {
  /** Shown with the problems. */
  readonly file?: string | undefined
  /** The installed skills. Without it skills are taken as they come: for looking at a playbook, not for running it. */
  readonly catalogue?: Catalogue | undefined
  /** The connections of the organization it shall run for; without them connections are not checked. */
  readonly connections?: readonly KnownConnection[] | undefined
  readonly observer?: ReadObserver | undefined
}

export interface ParsedPlaybook {
  /** Undefined exactly if one of the problems is an error. */
  readonly playbook: Playbook | undefined
  /** All that was found, by place. */
  readonly problems: readonly Problem[]
}

/**
 * Reads and checks a playbook. Never throws, whatever the source: everything wrong with it becomes a problem at its place.
 *
 * @example
 * const { playbook, problems } = parsePlaybook(await readFile(file), { file, catalogue })
 * for (const problem of problems) console.error(formatProblem(problem, source))
 */
export function parsePlaybook(source: string | Uint8Array, options: ParseOptions = {}): ParsedPlaybook {
  const {
    text,
    source: body,
    problems,
    root,
  } = openSource(source, options.file, options.observer ? 'tolerant' : 'repaired')
  // An editor wants to know what is there, also where it is wrong.
  if (root) options.observer?.document(root, body)
  const playbook = root && readPlaybook(root, text, body, problems, options)
  return { playbook: problems.hasErrors ? undefined : playbook, problems: problems.list() }
}

function readPlaybook(
  root: Node,
  text: string,
  source: SourceText,
  problems: Problems,
  options: ParseOptions,
): Playbook | undefined {
  const fields = readFields(problems, root, grammar.playbook)
  if (fields === undefined) return undefined
  const context: Context = {
    source,
    problems,
    catalogue: options.catalogue,
    connections: options.connections,
    observer: options.observer,
    ids: collectStepIds(root, source, problems),
    readSequence,
    readBranches,
    defaults: readDefaults(problems, fields),
    readSteps: new Set(),
    producers: [],
  }
  const head = readHead(problems, fields)
  const on = fields.get('on')
  const { alertTrigger } = on ? readTriggers(context, on.value) : { alertTrigger: undefined }
  // Nothing is said about `alert` where it is only missing because `on` is wrong.
  const scope = new Scope(
    runNames(on === undefined || problems.hasErrorIn(on.value) || alertTrigger !== undefined),
  )
  const steps = fields.get('steps')
  const mainSteps = steps ? readSequence(context, steps.value, scope) : []
  const outputs = fields.get('outputs')
  const outputTemplate = outputs && readOutputs(context, outputs.value, scope)
  const last = fields.get('finally')
  const finalScope = new Scope(runNames(alertTrigger !== undefined || on === undefined), {
    isFinally: true,
  })
  finalScope.adopt(scope, true)
  const finalSteps = last ? readSequence(context, last.value, finalScope) : []
  if (!problems.hasErrors) reportUnusedOutputs(context)
  return {
    ...head,
    hash: contentHash(text),
    source: text,
    alertTrigger,
    steps: mainSteps,
    finally: finalSteps,
    outputs: outputTemplate,
  }
}

type Head = Pick<Playbook, 'name' | 'version' | 'description' | 'owner' | 'tags' | 'timeoutMs'>

function readHead(problems: Problems, fields: Fields): Head {
  const version = fields.get('apiVersion')
  const written = version && readText(problems, version)
  if (written !== undefined && written !== apiVersion) {
    problems.add(
      'E107',
      `the apiVersion ${quote(written)} is not known`,
      version!.value,
      `write ${apiVersion}`,
    )
  }
  const name = fields.get('name')
  const nameRule = 'lower-case letters and digits, in words joined by hyphens'
  const label = fields.get('version')
  const description = fields.get('description')
  const owner = fields.get('owner')
  const timeout = fields.get('timeout')
  return {
    name: (name && readWord(problems, name, namePattern, nameRule)) ?? '',
    version: label && readText(problems, label),
    description: (description && readText(problems, description)) ?? '',
    owner: owner && readText(problems, owner),
    tags: readTags(problems, fields),
    timeoutMs: (timeout && readDuration(problems, timeout)) ?? defaultTimeoutMs,
  }
}

function readTags(problems: Problems, fields: Fields): readonly string[] {
  const entry = fields.get('tags')
  if (entry === undefined) return []
  const { name, key, value } = entry
  if (value.kind === 'list') {
    return value.items
      .map((item) => readText(problems, { name, key, value: item }))
      .filter((tag) => tag !== undefined)
  }
  problems.add('E106', `\`tags\` must be a list of texts, not ${describe(value)}`, value, 'write [a, b]')
  return []
}

function readDefaults(problems: Problems, fields: Fields): Context['defaults'] {
  const entry = fields.get('defaults')
  const own = entry && readFields(problems, entry.value, grammar.defaults)
  const timeout = own?.get('timeout')
  const retry = own?.get('retry')
  return {
    timeoutMs: timeout && readDuration(problems, timeout),
    retry: retry && readRetry(problems, retry.value),
  }
}

function readOutputs(context: Context, node: Node, scope: Scope): Template | undefined {
  if (node.kind === 'map') return compileValue(context, scope, node).template
  context.problems.add('E106', `\`outputs\` must be a map of values, not ${describe(node)}`, node)
  return undefined
}
