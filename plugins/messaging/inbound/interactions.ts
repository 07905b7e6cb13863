import {
  objectsAt,
  SkillError,
  textAt,
  valueAt,
  type InboundAnswer,
  type InboundRequest,
  type InboundResult,
  type JsonObject,
} from 'tocsin/plugin'
import { isOurAction, parseButtonValue } from '../button-value.ts'
import { parseObject } from '../parse-object.ts'
import { verifySignature, type SigningSettings } from './signature.ts'

/**
 * A payload sent when somebody uses a part of a message:
 * https://docs.slack.dev/reference/interaction-payloads. A form with the one field
 * `payload`; presses of our buttons are answers, everything else is ignored.
 */
export function readInteraction(request: InboundRequest, settings: SigningSettings): InboundResult {
  verifySignature(request, settings)
  const payload = parseObject(new URLSearchParams(request.text).get('payload') ?? '')
  if (payload === undefined)
    throw new SkillError('bad_request', 'the body is not a form with a payload of JSON')
  if (textAt(payload, 'type') !== 'block_actions') return {}
  const by = textAt(valueAt(payload, 'user'), 'id')
  const pressed = objectsAt(payload, 'actions').find((action) =>
    isOurAction(textAt(action, 'action_id') ?? ''),
  )
  const answer = pressed && by ? readPress(pressed, by) : undefined
  if (answer === undefined || pressed === undefined) return {}
  return { dedupeKey: pressKey(payload, pressed, answer), answers: [answer] }
}

function readPress(action: JsonObject, by: string): InboundAnswer | undefined {
  const value = parseButtonValue(textAt(action, 'value') ?? '')
  return value && { checkpointId: value.checkpointId, value: value.answer, by }
}

/** A double click arrives twice: the same button of the same message, pressed by the same person. */
function pressKey(payload: JsonObject, action: JsonObject, { by, checkpointId }: InboundAnswer): string {
  const message = textAt(valueAt(payload, 'container'), 'message_ts') ?? ''
  return ['press', checkpointId, message, textAt(action, 'action_id'), by].join(' ')
}
