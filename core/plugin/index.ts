/** The public contract for plugin authors, imported as `tocsin/plugin`. It imports nothing else of the project. */
import type { AnySkill } from './skill.ts'
import type { ConnectionDefinition } from './connection.ts'

export { caseStatuses, closingReasons, severities, verdicts } from './case-access.ts'
export type {
  AttachedFile,
  CaseAccess,
  CaseChanges,
  ClosingReason,
  CaseStatus,
  CaseView,
  NewCase,
  NewFile,
  Severity,
  Verdict,
} from './case-access.ts'
export { defineConnection, errorMeanings } from './connection.ts'
export type {
  Authenticated,
  ConnectionContext,
  ConnectionDefinition,
  ErrorAnswer,
  HostDefinition,
  ErrorMeaning,
  ExplainedError,
  Moment,
  RateBudget,
  RatedRequest,
  RateLimit,
  RequestSignature,
  RequestToSign,
  TokenRefusal,
  SignInRequest,
  TokenRequest,
} from './connection.ts'
export { ConnectionError, RetryableError, SkillError, TocsinError } from './errors.ts'
export type { Effect, ErrorOptions, RetryableErrorOptions } from './errors.ts'
export type {
  ExpectedBytes,
  HttpClient,
  HttpRequest,
  HttpResponse,
  MultipartPart,
  QueryValue,
  SocketAddress,
  SocketClient,
} from './http.ts'
export type {
  InboundAlert,
  InboundAnswer,
  InboundCaseChange,
  InboundHandler,
  InboundHandshake,
  InboundReply,
  InboundRequest,
  InboundResult,
  LinkedQuestion,
  ManifestAbout,
} from './inbound.ts'
export { interfaces } from './interfaces/interfaces.ts'
export type { AskImplementation, Implementation, Implementations } from './interfaces/implementation.ts'
export type {
  InterfaceDefinition,
  InterfaceInput,
  InterfaceName,
  InterfaceOutput,
} from './interfaces/interfaces.ts'
export { countAt, isObject, numberAt, objectsAt, textAt, valueAt } from './json-access.ts'
export type { JsonObject } from './json-access.ts'
export { addressSchema, privateAddressSchema } from './json-schema.ts'
export type { Infer, JsonSchema, JsonSchemaType } from './json-schema.ts'
export { collectPages, nextLink } from './paging.ts'
export type { AnnouncedPage, CollectedPages, CollectPagesOptions, Page, PageRequest } from './paging.ts'
export { leftOutProperties, readable, readRecords } from './readable.ts'
export type { LeftOut } from './readable.ts'
export { pathText, percentEncode } from './request-path.ts'
export type { RequestPath } from './request-path.ts'
export type { RunningSandbox, Sandbox, SandboxCommand, SandboxOptions, SandboxRequest } from './sandbox.ts'
export { Secret } from './secret.ts'
export { asksInputs, defineSkill } from './skill.ts'
export type {
  AnySkill,
  AskedQuestion,
  QuestionOutcome,
  RefusalReason,
  RefusedAnswer,
  RelatedCall,
  StateCall,
  Repeat,
  SettledQuestion,
  SkillContext,
  SkillDefinition,
  SkillExample,
  SkillLog,
} from './skill.ts'
export { destructiveClasses, observableKinds } from './interfaces/vocabulary.ts'
export type { DestructiveClass, ObservableKind } from './interfaces/vocabulary.ts'
export {
  answerLink,
  readAnswerLink,
  readLinkedAnswer,
  showLinkedQuestion,
  verifyHmac,
  verifyRecent,
  verifySecret,
} from './webhook-proof.ts'
export type { HmacProof } from './webhook-proof.ts'

/** One integration: the connection to another system, and the skills that use it. */
export interface PluginDefinition {
  /** snake_case; the folder has the same name with hyphens. */
  readonly name: string
  readonly title: string
  readonly description: string
  // eslint-disable-next-line typescript/no-explicit-any -- see AnySkill
  readonly connection?: ConnectionDefinition<any>
  readonly skills: readonly AnySkill[]
}

/** Declares a plugin: the default export of `plugin.ts`. Importing it must have no side effect. */
export function definePlugin(definition: PluginDefinition): PluginDefinition {
  return definition
}
