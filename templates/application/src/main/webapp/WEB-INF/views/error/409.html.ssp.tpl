<%@include '/error/400' {} %>
