/** Sends the day's total by mail. */
function dailyReport() {
  var response = UrlFetchApp.fetch('BASE/orders');
  var orders = JSON.parse(response.getContentText());
  var total = 0;
  orders.forEach(function (o) { total += Number(o.total); });
  var day = Utilities.formatDate(new Date(), Session.getScriptTimeZone(), "yyyy-MM-dd HH:mm");
  Logger.log('%s orders', orders.length);
  MailApp.sendEmail('ann@example.test', 'Orders ' + day, 'Total: ' + total.toFixed(2));
  return { code: response.getResponseCode(), day: day, total: total };
}
