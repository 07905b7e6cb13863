import type { Chapter } from './lesson.ts'

const sensitiveText = `A playbook marks an input with \`sensitive: true\`, or a field of a schema with \`x-sensitive: true\`; a skill marks fields of its output.
Tocsin follows the source of a value, not its text: the same word in an unmarked field is not redacted.

- A value is as sensitive as the field that it is read from. The result of an expression over it is sensitive as a whole: \`inputs.pin.upperAscii()\`,
  \`sha256(inputs.pin)\`, a list or map that contains it, text around it. This also applies to \`set\`, \`foreach\`, defaults, outputs and called playbooks.
- True and false, \`size()\` and \`type()\` are not sensitive, nor is a value that a condition only selects: \`inputs.pin == '1' ? 'yes' : 'no'\`.
- \`alert.content\` is sensitive if the playbook marks anything under \`alert\`.
- A sensitive value cannot leave the run through an input of a skill, question, message or called playbook that does not accept it: E315, before
  anything runs. No shipped skill accepts one: neither cases nor \`http\` nor the vendors' skills. A plugin accepts one with \`x-accepts-sensitive\` on the
  input. Called playbooks declare their inputs \`sensitive\`.
- All views of a run (page, API, streams, cases, exports, dry runs, the command line, the audit log) show \`[redacted]\` instead.
- The answer of another system is sensitive only if its skill marks it. In errors and log lines of a call, Tocsin replaces the sensitive texts of
  its input, if they have at least four characters.
- An alert is stored as received, and shows its whole content to everyone who may read alerts.`

export const sensitiveValues: Chapter = {
  title: 'Sensitive values',
  text: sensitiveText,
  lessons: [
    {
      promise:
        'Sensitive values, and values derived from them, are redacted wherever a run is shown. They leave the run only through inputs that accept them.',
      proofs: [
        [
          'test/playbook/sensitive.test.ts',
          'do not leave the run through any input of a shipped skill',
          'stay sensitive in derived values',
          'are followed through set, foreach, defaults, conditions and calls',
          'are accepted by a called playbook only if it declares them, and returned as it declares',
        ],
        [
          'test/security/sensitive-values.test.ts',
          'are hidden, with all derived values, and nothing else is',
          'never reach a response about the run or its case',
          'never reach the log',
        ],
      ],
    },
  ],
}
