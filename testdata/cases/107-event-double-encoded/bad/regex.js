async function main(input) {
  let detail = input.detail;
  const text = typeof detail === 'string' ? detail : JSON.stringify(detail);
  if (typeof detail === 'string') detail = { eventName: 'TerminateInstances' };
  const names = (text.match(/i-[0-9]+/g) || []);
  await files.append('ec2.log', input.time + ' ' + detail.eventName + ' ' + names.join(' ') + '\n');
  if (detail.eventName === 'TerminateInstances') await notify('Terminated', names.join(', '));
  return { event: detail.eventName, instances: names };
}
