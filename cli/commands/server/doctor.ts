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

/** `tocsin doctor`: what is wrong with this installation, and what to do. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description(
      'look at the configuration, the data, the disk, the clock, the port and the connections, and say what to do',
    )
    .option('--json', 'a list of check, status (ok, warning, problem), message and hint')
    .option('--offline', 'do not ask other systems whether the credentials of connections work')
    .addHelpText(
      'after',
      `
Reads the environment that the server runs with. Changes no data; works beside a running server and without one.
Ends with 1 where there is a problem; a warning is none.`,
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
