import { Command } from 'commander'
import { examine } from '../../../server/doctor/examine.ts'
import { processEnvironment } from '../../../server/config/environment.ts'
import type { Finding } from '../../../server/doctor/finding.ts'
import { Exit, exitCodes } from '../../exit-codes.ts'
import { paint } from '../../output/paint.ts'
import { printable, printableJson } from '../../output/printable.ts'

interface DoctorOptions {
  readonly json?: boolean
  readonly offline?: boolean
}

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('check the configuration, data, disk, clock, port and connections, and suggest fixes')
    .option('--json', 'print JSON: check, status (ok, warning, problem), message and hint')
    .option('--offline', 'do not test the credentials of connections')
    .addHelpText(
      'after',
      `
Run it with the environment of the server. Changes no data; also works while the server runs.
Exits with 1 if there is a problem; warnings do not count.`,
    )
    .action(report)
}

async function report({ json, offline }: DoctorOptions): Promise<void> {
  const findings = await examine(processEnvironment(), { online: offline !== true })
  if (json === true) console.log(printableJson(findings))
  else for (const finding of findings) console.log(inWords(finding))
  if (findings.some(({ status }) => status === 'problem')) throw new Exit(exitCodes.failed)
}

const marks: Readonly<Record<Finding['status'], string>> = {
  ok: paint.good('ok     '),
  warning: paint.warn('warning'),
  problem: paint.bad('problem'),
}

function inWords({ check, status, message, hint }: Finding): string {
  const line = `${marks[status]}  ${paint.strong(printable(check))}: ${printable(message, 500)}`
  return hint === undefined ? line : `${line}\n         ${paint.dim('hint')} ${printable(hint, 500)}`
}
