import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { declaredSandbox, readPlugin } from '../../core/declarative/index.ts'
import type { ServedSandbox } from '../../core/plugin/testing/index.ts'

const source = `apiVersion: tocsin/v1
plugin: cloud_drive
title: Cloud drive
description: Files of a company.
connection:
  title: Cloud drive
  description: Files of a company.
  setup:
    - Register an app, with the redirect URI that is shown here.
  base_url: https://api.drive.example
  fields:
    client_id: { title: Client ID }
    client_secret: { title: Client secret, secret: true }
    login_url: { title: Sign-in URL, address: public, default: https://login.drive.example }
  other_origins: ['\${{ settings.login_url }}']
  auth:
    oauth2:
      grant: authorization_code
      authorize: '\${{ settings.login_url }}/oauth/authorize'
      token: '\${{ settings.login_url }}/oauth/token'
      revoke: '\${{ settings.login_url }}/oauth/revoke'
      client_id: '\${{ settings.client_id }}'
      client_secret: '\${{ settings.client_secret }}'
      scope: files.read offline_access
      parameters: { access_type: offline }
  check: { get: /me, account: '\${{ response.body.email }}' }
skills:
  - name: count_files
    title: Count files
    description: How many files there are.
    docs: https://docs.drive.example/files
    effect: read
    request: { get: /files }
    output:
      count: { type: integer, value: '\${{ response.body.count }}' }
    examples: [examples/seven.json]
`

const example = JSON.stringify({
  title: 'Seven files',
  source: 'https://docs.drive.example/files',
  input: {},
  responses: [{ body: { count: 7 } }],
  output: { count: 7 },
})

/** Writes the plugin into a folder; returns the path for TOCSIN_PLUGINS. */
export function writeDrive(folder: string): string {
  const path = join(folder, 'cloud-drive')
  mkdirSync(join(path, 'examples'), { recursive: true })
  writeFileSync(join(path, 'plugin.yaml'), source)
  writeFileSync(join(path, 'examples/seven.json'), example)
  return path
}

/** Its generated sandbox. */
export async function startDriveSandbox(): Promise<ServedSandbox> {
  const { plugin, problems } = readPlugin(source, { files: { read: () => ({ text: example }) } })
  if (plugin === undefined) throw new Error(problems.map(({ message }) => message).join('\n'))
  return (await declaredSandbox(plugin)!.start()) as ServedSandbox
}
