import type { Command } from 'commander'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { exitCodes } from '../../cli/exit-codes.ts'
import { commands } from '../../cli/main.ts'
import { problemCatalogue } from '../../core/playbook/language/problem-catalogue.ts'
import type { PluginDefinition } from '../../core/plugin/index.ts'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'
import { variableNames } from '../../server/config/config.ts'
import type { Operation } from '../../server/http/reference/openapi-document.ts'
import { openApiDocument } from '../../server/http/reference/openapi.ts'
import { routes } from '../../server/http/routing/routes.ts'
import {
  coreCodes,
  errorClasses,
  internalError,
  requestErrors,
} from '../../server/http/routing/status-table.ts'
import { webhookPath } from '../../server/http/resources/connections/connection-manifest.ts'
import { schemaLines } from './schema-lines.ts'

/**
 * All facts that compatibility is promised for: by subject (an operation, a command, a skill) and part of the
 * contract.
 */
export type Contract = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

export async function readContract(): Promise<Contract> {
  const { plugins } = await discoverPlugins({ pluginsDir: join(root, 'plugins') })
  const { paths, components } = openApiDocument(routes, 'api', undefined, 'session')
  return {
    'HTTP operations': Object.fromEntries(
      Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => [
          `${method.toUpperCase()} ${path}`,
          operationLines(operation),
        ]),
      ),
    ),
    'HTTP schemas': mapValues(components.schemas, (schema) => schemaLines(schema, 'value', 'out')),
    'HTTP errors': mapValues(
      { ...errorClasses, ...coreCodes, ...requestErrors, internal_error: internalError },
      ({ status }) => [`status ${status}`],
    ),
    webhooks: Object.fromEntries(
      plugins.flatMap(({ name, connection }) =>
        Object.keys(connection?.inbound ?? {}).map((route) => [webhookPath(name, route), []]),
      ),
    ),
    'command line': Object.fromEntries(
      (await Promise.all(Object.values(commands).map((load) => load()))).flatMap((command) =>
        commandLines(command, ''),
      ),
    ),
    'exit codes': mapValues(exitCodes, (code) => [String(code)]),
    'environment variables': Object.fromEntries(variableNames.map((name) => [name, []])),
    metrics: documentedMetrics(),
    'problem codes': mapValues(problemCatalogue, () => []),
    'playbook language': keyLines('schemas/playbook.schema.json'),
    'playbook tests': keyLines('schemas/playbook-test.schema.json'),
    skills: Object.fromEntries(plugins.flatMap(skillLines)),
    'connection settings': Object.fromEntries(
      plugins.flatMap(({ name, connection }) =>
        connection === undefined ? [] : [[name, schemaLines(connection.settings, 'settings', 'in')]],
      ),
    ),
    'plugin contract': {
      'tocsin/plugin': exportLines('core/plugin/index.ts'),
      'tocsin/plugin/testing': exportLines('core/plugin/testing/index.ts'),
    },
  }
}

function mapValues<In>(values: Readonly<Record<string, In>>, change: (value: In) => readonly string[]) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))
}

function operationLines({ parameters, requestBody, responses, ...operation }: Operation): readonly string[] {
  const given = parameters.flatMap(({ name, in: place, required, schema }) => [
    `${place}.${name} ${required ? 'required' : 'optional'}`,
    ...schemaLines(schema, `${place}.${name}`, 'in'),
  ])
  const body = Object.entries(requestBody?.content ?? {}).flatMap(([type, { schema }]) => [
    `body ${type}`,
    ...schemaLines(schema, 'body', 'in'),
  ])
  const answers = Object.entries(responses).flatMap(([status, { content = {}, headers = {} }]) => [
    ...(status.startsWith('2') ? [`answer ${status}`] : []),
    ...Object.keys(headers).map((name) => `answer header ${name}`),
    ...Object.entries(content).flatMap(([type, { schema }]) => [
      `answer ${status} ${type}`,
      ...schemaLines(schema, `answer`, 'out'),
    ]),
  ])
  const roles = (operation['x-roles'] ?? []).map((role) => `role ${role}`)
  return [...new Set([...given, ...body, ...answers, ...roles])]
}

function commandLines(command: Command, parent: string): (readonly [string, readonly string[]])[] {
  const path = `${parent} ${command.name()}`.trim()
  const args = command.registeredArguments.map(
    (argument, at) =>
      `argument ${at + 1}${argument.variadic ? '…' : ''} ${argument.required ? 'required' : 'optional'}`,
  )
  const options = command.options.flatMap(({ short, long, mandatory, required, optional, argChoices }) => [
    ...[short, long].filter((flag) => flag !== undefined),
    `${long} ${required ? 'takes a value' : optional ? 'may take a value' : 'is a switch'}`,
    ...(mandatory ? [`${long} required`] : []),
    ...(argChoices ?? []).map((choice) => `${long} = ${choice}`),
  ])
  const own: [string, readonly string[]][] = [[path, [...args, ...options]]]
  return [...own, ...command.commands.flatMap((child) => commandLines(child, path))]
}

/**
 * As docs/monitoring.md lists them; test/end-to-end/metrics.test.ts compares the list with the served
 * metrics.
 */
function documentedMetrics(): Readonly<Record<string, readonly string[]>> {
  const [, table = ''] = /^## Metrics$([^]*?)^## /m.exec(read('docs/monitoring.md')) ?? []
  const names = [...table.matchAll(/^\|(.*?)\|.*$/gm)].flatMap(([, cell = '']) => [
    ...cell.matchAll(/`([a-z_]+)(?:\{(.+?)\})?`/g),
  ])
  return Object.fromEntries(
    names.map(([, name = '', labels]) => [name, labels?.split(',').map((label) => `label ${label}`) ?? []]),
  )
}

const keyLines = (schema: string) => ({ keys: schemaLines(JSON.parse(read(schema)), 'file', 'in') })

function skillLines({ name: plugin, skills }: PluginDefinition): (readonly [string, readonly string[]])[] {
  return skills.map((skill) => [
    `${plugin}.${skill.name}`,
    [...schemaLines(skill.input, 'input', 'in'), ...schemaLines(skill.output, 'output', 'out')],
  ])
}

/** Only the names: test/plugin-contract/declarations.test.ts compares their types. */
function exportLines(index: string): readonly string[] {
  const text = read(index)
  const lists = [...text.matchAll(/^export (type )?\{([^}]*)\}/gm)].flatMap(([, isType, names = '']) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
      .map((name) => `${isType === undefined ? 'value' : 'type'} ${name}`),
  )
  const declared = [...text.matchAll(/^export (function|const|class|interface|type) (\w+)/gm)]
  return [
    ...lists,
    ...declared.map(([, kind = '', name]) => `${/^(i|t)/.test(kind) ? 'type' : 'value'} ${name}`),
  ]
}
