import { numberAt, textAt, valueAt, type JsonObject, type SandboxCommand } from 'tocsin/plugin'
import { indicatorKinds } from '../indicator.ts'
import { makeRecord } from './make-record.ts'
import { isIndicatorKind, recordKey } from './records.ts'

/** Actions of an analyst at the provider. */
export function intelCommands(records: Map<string, JsonObject>): readonly SandboxCommand[] {
  return [
    {
      usage: 'known [kind]',
      description: `lists the known indicators of a kind with their scores: ${indicatorKinds.join(', ')}`,
      run: (kind = '') =>
        [...records]
          .filter(([key]) => kind === '' || key.startsWith(`${kind} `))
          .map(([key, record]) => `${scoreOf(record)}  ${key} ${nameBeside(key, record)}`.trimEnd())
          .join('\n') || `no indicators of the kind '${kind}'`,
    },
    {
      usage: 'score <kind> <value> <score>',
      description: 'sets the score of an indicator, 0 to 99, e.g. score ip 192.0.2.9 90',
      run(kind = '', value = '', score = '') {
        if (!isIndicatorKind(kind)) throw new Error(`'${kind}' is not one of ${indicatorKinds.join(', ')}`)
        if (!/^\d{1,2}$/.test(score)) throw new Error(`'${score}' is not a score from 0 to 99`)
        const rules = [['Reported By Hand', 'Entered at the prompt.']] as const
        const record = makeRecord({ kind, value, score: Number(score), rules })
        records.set(recordKey(kind, value), record)
        return `${scoreOf(record)}  ${kind} ${value}`
      },
    },
  ]
}

const scoreOf = (record: JsonObject): string =>
  String(numberAt(valueAt(record, 'risk'), 'score') ?? '-').padStart(2)

/** Records that are found by an id also have a name. */
function nameBeside(key: string, record: JsonObject): string {
  const name = textAt(valueAt(record, 'entity'), 'name') ?? ''
  return key.toLowerCase().includes(name.toLowerCase()) ? '' : `(${name})`
}
