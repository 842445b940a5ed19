<%@include '/error/404' {} %>
