import type { ProblemSeverity, SourceProblem } from './source-frame.ts'

/** The meaning of a problem code, for readers of the report. */
export interface SarifRule {
  readonly title: string
  readonly explanation: string
}

interface SarifOptions {
  readonly version: string
  /** By code. */
  readonly rules: Readonly<Record<string, SarifRule>>
  /** Path of a file, relative to the root of the repository. */
  readonly uriOf: (file: string) => string
}

const levels: Readonly<Record<ProblemSeverity, 'error' | 'warning' | 'note'>> = {
  error: 'error',
  warning: 'warning',
  info: 'note',
}

const severityOf = (code: string): ProblemSeverity =>
  code.startsWith('E') ? 'error' : code.startsWith('W') ? 'warning' : 'info'

/** The problems as SARIF 2.1.0, which code hosts show beside the lines of a change. Lines and columns are exact. */
export function toSarif(problems: readonly SourceProblem[], { version, rules, uriOf }: SarifOptions): object {
  const codes = Object.keys(rules)
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'tocsin',
            version,
            semanticVersion: version,
            rules: codes.map((code) => ({
              id: code,
              shortDescription: { text: rules[code]!.title },
              fullDescription: { text: rules[code]!.explanation },
              defaultConfiguration: { level: levels[severityOf(code)] },
            })),
          },
        },
        columnKind: 'utf16CodeUnits',
        results: problems.map((problem) => resultOf(problem, codes.indexOf(problem.code), uriOf)),
      },
    ],
  }
}

function resultOf(problem: SourceProblem, rule: number, uriOf: SarifOptions['uriOf']): object {
  const { code, severity, message, hint, file, line, column, endLine, endColumn } = problem
  return {
    ruleId: code,
    ...(rule < 0 ? {} : { ruleIndex: rule }),
    level: levels[severity],
    message: { text: hint === undefined ? message : `${message} (${hint})` },
    locations: [
      {
        physicalLocation: {
          ...(file === undefined ? {} : { artifactLocation: { uri: uriOf(file) } }),
          region: { startLine: line, startColumn: column, endLine, endColumn },
        },
      },
    ],
  }
}
