import type { AlertSource } from '../alert-source.ts'

/** Mail protection and reported messages. */
export const mailSources: readonly AlertSource[] = [
  {
    name: 'abnormal',
    title: 'Abnormal Security',
    sends: 'poll',
    when: { threatid: true, 'messages[].abxmessageid': true },
    titles: ['{messages[].attackType}: {messages[].subject}', 'messages[].subject'],
    times: ['messages[].receivedTime'],
    ids: ['threatId'],
    observables: {
      email: ['messages[].fromAddress', 'messages[].toAddresses'],
      url: ['messages[].urls[]'],
    },
  },
  {
    name: 'proofpoint_message',
    title: 'Proofpoint TAP messages',
    sends: 'poll',
    when: { phishscore: true, threatsinfomap: true },
    titles: ['{threatsInfoMap[].classification}: {subject}', 'subject'],
    severity: {
      at: ['malwareScore', 'phishScore', 'impostorScore'],
      isHighest: true,
      from: { low: 0, medium: 40, high: 70, critical: 95 },
    },
    times: ['messageTime'],
    // Not the Message-ID: the sender of a message chooses it, and could hide a second one behind the first.
    ids: ['GUID'],
    observables: { email: ['sender', 'recipient[]'], ip: ['senderIP'] },
  },
  {
    name: 'proofpoint_events',
    title: 'Proofpoint TAP events',
    sends: 'poll',
    when: { clickspermitted: true, messagesdelivered: true },
    titles: [
      '{clicksPermitted[].classification} clicked by {clicksPermitted[].recipient[]}',
      '{messagesDelivered[].threatsInfoMap[].classification}: {messagesDelivered[].subject}',
    ],
    times: ['clicksPermitted[].clickTime', 'messagesDelivered[].messageTime', 'queryEndTime'],
    observables: {
      email: ['clicksPermitted[].recipient[]', 'messagesDelivered[].recipient[]'],
      url: ['clicksPermitted[].url'],
    },
  },
  {
    name: 'reported_phish',
    title: 'Messages reported by users',
    sends: 'log_forwarder',
    when: { 'message.message_id': true, reported_by: true },
    titles: ['Reported message: {message.subject}', 'Message reported by {reported_by}'],
    times: ['reported_at'],
    observables: { email: ['reported_by', 'message.reply_to'], url: ['message.urls[]'] },
  },
  {
    name: 'sublime',
    title: 'Sublime Security',
    sends: 'poll',
    when: { 'data.request.path': true, 'created_by.email_address': true },
    titles: ['{type} by {created_by.email_address}'],
    times: ['created_at'],
    ids: ['id'],
    observables: { email: ['created_by.email_address'], ip: ['data.request.ip'] },
  },
  {
    name: 'google_workspace_activity',
    title: 'Google Workspace activity',
    sends: 'poll',
    when: { kind: 'admin#reports#activity' },
    titles: [
      '{name} of "{parameters.message_info.subject}" to {actor.email}',
      '{name} by {actor.email}',
      'name',
    ],
    times: ['id.time'],
    ids: ['id.uniqueQualifier'],
    observables: {
      email: ['actor.email', 'parameters.message_info.source.address'],
      ip: ['ipAddress'],
      domain: ['parameters.message_info.link_domain[]'],
      hash: ['parameters.message_info.attachment.sha256'],
    },
  },
  {
    name: 'google_alert_center',
    title: 'Google Workspace Alert Center',
    sends: 'queue',
    when: { customerid: true, alertid: true, createtime: true },
    titles: ['{type}: {data.ruleViolationInfo.ruleInfo.displayName}', '{type}: {data.email}', 'type'],
    severity: { at: ['metadata.severity'] },
    times: ['startTime', 'createTime'],
    ids: ['alertId'],
    observables: { email: ['data.email', 'data.ruleViolationInfo.recipients[]'] },
  },
]
