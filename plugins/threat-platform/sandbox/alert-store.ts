import { objectsAt, textAt, type JsonObject, type SandboxCommand } from 'tocsin/plugin'
import { threatFixture } from './fixture.ts'

/** The alerts of a running sandbox: samples, and those opened by a command. */
export interface SandboxAlerts {
  /** As returned by GET `/api/v1/alerts`. */
  answer(): JsonObject
  readonly commands: readonly SandboxCommand[]
}

const statuses = ['Open', 'In Progress', 'Resolved', 'Closed']
const severities = ['Critical', 'High', 'Medium', 'Low', 'Info']

export function alertStore(): SandboxAlerts {
  const sample = threatFixture('seed-alerts-list') as JsonObject
  const alerts = [...objectsAt(sample, 'alerts')]
  const commands: readonly SandboxCommand[] = [
    {
      usage: 'incidents',
      description: 'every incident, with its id',
      run: () => alerts.map(show).join('\n'),
    },
    {
      usage: 'open <severity> <title>',
      description: `a new incident; ${severities.join(', ').toLowerCase()}`,
      run(severity = '', title = '') {
        const opened = {
          id: `alert_${123 + alerts.length}`,
          title,
          severity: oneOf(severities, severity, 'severity'),
          status: 'Open',
          created_at: new Date().toISOString(),
        }
        alerts.push(opened)
        return show(opened)
      },
    },
    {
      usage: 'set <id> <status>',
      description: `change an incident; ${statuses.join(', ').toLowerCase()}`,
      run(id = '', status = '') {
        const index = alerts.findIndex((alert) => alert['id'] === id)
        if (index === -1) throw new Error(`there is no incident ${id}; 'incidents' lists them`)
        const changed = { ...alerts[index], status: oneOf(statuses, status, 'status') }
        alerts[index] = changed
        return show(changed)
      },
    },
  ]
  return { answer: () => ({ ...sample, alerts, total: alerts.length }), commands }
}

const show = (alert: JsonObject): string =>
  ['id', 'status', 'severity', 'created_at', 'title'].map((name) => textAt(alert, name) ?? '-').join('  ')

function oneOf(words: readonly string[], typed: string, what: string): string {
  const word = words.find((one) => one.toLowerCase() === typed.toLowerCase())
  if (word === undefined) throw new Error(`'${typed}' is no ${what}: ${words.join(', ')}`)
  return word
}
