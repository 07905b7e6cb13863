import { defineSkill, SkillError } from 'tocsin/plugin'
import { connection } from '../connection.ts'
import { fetchMessage } from '../imap/fetch.ts'
import { withImap } from '../imap/session.ts'
import { refProperties } from '../message-ref.ts'
import { parseMail } from '../parse/parse-message.ts'
import { permissions } from '../permissions.ts'

export const saveFile = defineSkill({
  name: 'save_file',
  title: 'Save Message or Attachment',
  description:
    'Attaches a message, or one of its attachments, to a case as a file. It may be malware: it is kept as bytes and never opened.',
  docs: 'https://www.rfc-editor.org/rfc/rfc9051#name-fetch-command',
  permissions: permissions.imap,
  effect: 'write',
  repeat: 'safe',
  connection,
  input: {
    type: 'object',
    required: ['uid', 'uid_validity'],
    additionalProperties: false,
    properties: {
      ...refProperties,
      sha256: {
        type: 'string',
        pattern: '^[0-9a-fA-F]{64}$',
        patternErrorMessage: 'must be a SHA-256 of 64 hex digits',
        description: 'Of an attachment, as get_message shows it. Default: the whole message.',
      },
      case_id: { type: 'string', maxLength: 100, description: 'Default: the case of the run.' },
    },
  },
  output: {
    type: 'object',
    required: ['case_id', 'name', 'size', 'sha256'],
    additionalProperties: false,
    properties: {
      case_id: { type: 'string', description: 'The case that has the file.' },
      name: { type: 'string', description: 'Name of the file.' },
      size: { type: 'integer', description: 'Bytes.' },
      sha256: { type: 'string', description: 'Of the content; identifies the file in its case.' },
    },
  },
  examples: [
    {
      title: 'The attachment of a reported message',
      synthetic: true,
      input: {
        uid: 2,
        uid_validity: '1767225600',
        sha256: '2500669f94fbd3db05623d6ca0430e3d3f8757766669b820dabe5e9620362fb0',
      },
      output: {
        case_id: 'DEMO-1',
        name: 'invoice.pdf.exe',
        size: 3,
        sha256: '2500669f94fbd3db05623d6ca0430e3d3f8757766669b820dabe5e9620362fb0',
      },
    },
  ],
  async run(input, context) {
    const { cases, settings } = context
    const caseId = input.case_id ?? (await cases.own())
    if (caseId === undefined)
      throw new SkillError('no_case', 'the run has no case to attach the file to', { hint: 'give case_id' })
    const { source, isCut } = await withImap(context, (client) => fetchMessage(client, input))
    if (isCut)
      throw new SkillError('message_too_large', 'the message is larger than 15 MB', {
        hint: 'save it with a mail program',
      })
    const file = await chosen(source, input.sha256, settings.authserv_id, `message-${input.uid}.eml`)
    const { name, size, sha256 } = await cases.attachFile(caseId, file)
    return { case_id: caseId, name, size, sha256 }
  },
})

async function chosen(
  source: Uint8Array,
  sha256: string | undefined,
  authservId: string | undefined,
  name: string,
) {
  if (sha256 === undefined) return { name, contentType: 'message/rfc822', bytes: source }
  const { files } = await parseMail(source, authservId)
  const found = files.find((file) => file.sha256 === sha256.toLowerCase())
  if (found !== undefined)
    return { name: found.name, contentType: 'application/octet-stream', bytes: found.bytes }
  throw new SkillError('attachment_not_found', 'the message has no attachment with this SHA-256', {
    hint: 'take the sha256 of an attachment in the output of mail.get_message',
  })
}
